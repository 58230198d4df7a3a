"""What the local server reads from template.yaml."""

from pathlib import Path

import pytest

from typo3_retrieval_cli.server.template import Template, TemplateError, read_template


def test_every_api_event_is_a_route(template: Template) -> None:
    routes = {(route.method, route.path, route.function.name) for route in template.routes}

    assert routes == {
        ("POST", "/echo", "EchoFunction"),
        ("GET", "/echo", "EchoFunction"),
        ("GET", "/open", "EchoFunction"),
        ("ANY", "/other", "OtherFunction"),
    }


def test_a_route_may_be_open(template: Template) -> None:
    assert [route.path for route in template.routes if not route.authorized] == ["/open"]


def test_globals_are_filled_in_and_overridden(template: Template) -> None:
    timeouts = {route.function.name: route.function.timeout for route in template.routes}

    assert timeouts == {"EchoFunction": 5, "OtherFunction": 1}


def test_the_authorizer_with_a_parameters_default(template: Template) -> None:
    assert template.authorizer is not None
    assert template.authorizer.function.name == "AuthorizerFunction"
    assert template.authorizer.validation == "^Bearer [a-z-]+$"
    assert template.authorizer.cache == 60


def test_a_missing_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"nowhere\.yaml: there is no such template"):
        read_template(tmp_path / "nowhere.yaml")


def test_a_template_without_an_api_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text("Resources: {}\n")

    with pytest.raises(TemplateError, match="no function has an event of type Api"):
        read_template(path)


def test_an_authorizer_of_another_type_is_refused(template_file: Path) -> None:
    text = template_file.read_text()
    template_file.write_text(text.replace("PayloadType: TOKEN", "PayloadType: REQUEST"))

    with pytest.raises(TemplateError, match="only FunctionPayloadType TOKEN"):
        read_template(template_file)
