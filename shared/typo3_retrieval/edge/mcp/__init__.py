"""The Model Context Protocol, both eras of it, over one stateless POST that answers JSON.

messages   one JSON-RPC message in, one out
eras       what tells the two eras apart, and what each demands of a request
methods    what the methods answer
endpoint   the way of a proxy event through all of these
"""
