"""Where requests arrive: settings, wire models, HTTP, tokens."""
