"""The retrieval core: plain Python, no driver, no framework."""
