"""A local stand-in for API Gateway and Lambda: what template.yaml says, on a loopback port.

template     what the template says: routes, functions, authorizer, gateway responses
authorizer   the TOKEN authorizer's rules: validation expression, policy, cache
functions    handlers, loaded and called as Lambda does it
gateway      a request's way through all of these
web          the sockets
page         the page to try questions in a browser
"""
