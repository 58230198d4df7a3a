"""The search engines, one module each; they do not know each other."""
