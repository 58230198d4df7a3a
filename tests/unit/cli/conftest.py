"""A small template with small handlers, for the local server's parts."""

from pathlib import Path

import pytest

from typo3_retrieval_cli.server.functions import Functions
from typo3_retrieval_cli.server.gateway import Gateway
from typo3_retrieval_cli.server.template import Template, read_template

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Parameters:
  Cache: {Type: Number, Default: 60}
Globals:
  Function:
    Handler: handler.lambda_handler
    Timeout: 5
Resources:
  Api:
    Type: AWS::Serverless::Api
    Properties:
      StageName: v1
      Auth:
        DefaultAuthorizer: BackendToken
        Authorizers:
          BackendToken:
            FunctionArn: !GetAtt AuthorizerFunction.Arn
            FunctionPayloadType: TOKEN
            Identity:
              Header: Authorization
              ValidationExpression: '^Bearer [a-z-]+$'
              ReauthorizeEvery: !Ref Cache
      GatewayResponses:
        ACCESS_DENIED:
          ResponseTemplates:
            application/json: '{"title": "No entry", "request_id": "$context.requestId"}'
          ResponseParameters:
            Headers:
              Content-Type: "'application/problem+json'"
        AUTHORIZER_FAILURE:
          StatusCode: 503
          ResponseTemplates:
            application/json: '{"title": $context.error.messageString}'
  EchoFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: echo/
      Events:
        Post: {Type: Api, Properties: {Path: /echo, Method: post, RestApiId: !Ref Api}}
        Get: {Type: Api, Properties: {Path: /echo, Method: get, RestApiId: !Ref Api}}
        Open:
          Type: Api
          Properties: {Path: /open, Method: get, RestApiId: !Ref Api, Auth: {Authorizer: NONE}}
        Nightly: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 day)}}
  OtherFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: other/
      Timeout: 1
      Events:
        Any: {Type: Api, Properties: {Path: /other, Method: any, RestApiId: !Ref Api}}
  AuthorizerFunction:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: authorizer/}
"""

ECHO = """
import json
import neighbour

def lambda_handler(event, context):
    body = json.dumps({
        "neighbour": neighbour.NAME,
        "event": event,
        "left": context.get_remaining_time_in_millis(),
    })
    return {
        "statusCode": 200,
        "headers": {"Content-Type": "application/json"},
        "multiValueHeaders": {"x-two": ["a", "b"]},
        "body": body,
    }
"""

OTHER = """
import time
import neighbour

def lambda_handler(event, context):
    match event["body"]:
        case "raise":
            raise RuntimeError("a bug")
        case "shape":
            return "not a proxy answer"
        case "sleep":
            time.sleep(1.5)
    return {"statusCode": 204, "body": neighbour.NAME}
"""

AUTHORIZER = """
calls = []

def lambda_handler(event, context):
    token = event["authorizationToken"].removeprefix("Bearer ")
    calls.append(token)
    if token == "unknown":
        raise Exception("Unauthorized")
    if token == "broken":
        raise RuntimeError("no database")
    if token == "shapeless":
        return {}
    resource = event["methodArn"].split("/local/")[0] + "/local/*/*"
    effect = "Deny" if token == "denied" else "Allow"
    if token == "narrow":
        resource = event["methodArn"]
    return {
        "principalId": "user",
        "policyDocument": {"Version": "2012-10-17", "Statement": [
            {"Action": "execute-api:Invoke", "Effect": effect, "Resource": [resource]},
        ]},
        "context": {"sub": "10", "exp": 12, "calls": len(calls), "admin": True},
    }
"""


@pytest.fixture
def template_file(tmp_path: Path) -> Path:
    for name, handler in (("echo", ECHO), ("other", OTHER), ("authorizer", AUTHORIZER)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "handler.py").write_text(handler)
        (folder / "neighbour.py").write_text(f"NAME = {name!r}\n")
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE)
    return path


@pytest.fixture
def template(template_file: Path) -> Template:
    return read_template(template_file)


@pytest.fixture
def gateway(template: Template) -> Gateway:
    return Gateway(template, Functions())
