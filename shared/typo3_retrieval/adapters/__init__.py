"""The only place that touches drivers, files and AWS."""
