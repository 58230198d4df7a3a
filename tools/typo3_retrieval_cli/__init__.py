"""The command line: ask, inspect, serve locally. Not part of the layer."""
