"""What CloudFormation's functions give where a parameter has a default."""

from pathlib import Path

import pytest

from typo3_retrieval_cli.server.template import TemplateError, read_template

TEMPLATE = """
Parameters:
  Empty: {Type: String, Default: ""}
  Name: {Type: String, Default: typo3}
Conditions:
  HasName: !Not [!Equals [!Ref Name, ""]]
  HasNone: !Equals [!Ref Empty, x]
  Both: !And [!Condition HasName, !Condition HasNone]
  Either: !Or [!Condition HasName, !Condition HasNone]
  Strange: !Contains [a, b]
Resources:
  Api:
    Type: AWS::Serverless::Api
    Properties:
      GatewayResponses:
        UNAUTHORIZED:
          ResponseParameters: {Headers: {X-Found: %s}}
  Function:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: function/
      Handler: handler.lambda_handler
      Events: {Get: {Type: Api, Properties: {Path: /, Method: get}}}
"""


def header(folder: Path, value: str) -> str | None:
    """What a gateway response's header of this value says."""
    path = folder / "template.yaml"
    path.write_text(TEMPLATE % value)
    return read_template(path).responses["UNAUTHORIZED"].headers.get("x-found")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("\"'literal'\"", "literal"),
        ("!Sub \"'about ${Name}'\"", "about typo3"),
        ("!If [HasName, \"'yes'\", \"'no'\"]", "yes"),
        ("!If [HasNone, \"'yes'\", \"'no'\"]", "no"),
        ("!If [Both, \"'yes'\", \"'no'\"]", "no"),
        ("!If [Either, !Sub \"'${Name}'\", \"'no'\"]", "typo3"),
        ("!GetAtt Function.Arn", None),
        ("!Ref Name", None),  # without the gateway's quotes it is a reference to the request
    ],
)
def test_a_header_is_what_its_function_gives(tmp_path: Path, value: str, found: str | None) -> None:
    assert header(tmp_path, value) == found


def test_an_unknown_condition_is_pointed_out(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="does not know"):
        header(tmp_path, "!If [Strange, \"'yes'\", \"'no'\"]")
