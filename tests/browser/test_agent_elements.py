# ruff: noqa: E501 - pages are html on long lines
"""What can be acted on: roles, names, fields, families, locators, visibility, shadow roots, iframes."""

from __future__ import annotations

import json

import pytest

from tests.browser.agent_page import AgentBrowser, AgentPage, Wire, agent, events, named

pytestmark = pytest.mark.browser
__all__ = ["agent"]


def by_id(wire: Wire) -> dict[str, Wire]:
    """Elements by the id in their locator."""
    return {e["locator"][1:]: e for e in wire["elements"] if e["locator"].startswith("#")}


def test_roles_and_names(agent: AgentBrowser) -> None:
    html = """<button>Save  <img alt=disk></button><a href=x>Go</a><a>not a link</a><input type=checkbox aria-label=Agree>
    <label>Mail <input type=email></label><span id=l>By id</span><input aria-labelledby=l><input placeholder=Search type=search>
    <input type=submit><div role=tab>Tab</div><div contenteditable>text</div><select aria-label=Pick><option>a</select>
    <button title=Close></button><button><svg><title>Icon</title></svg></button><input type=hidden name=h><textarea aria-label=Area></textarea>
    <details><summary>More</summary>inside</details><input type=range aria-label=Slide>"""

    async def work(page: AgentPage) -> None:
        found = [(e["role"], e["name"]) for e in (await page.observe())["elements"]]
        assert found == [
            ("button", "Save disk"), ("link", "Go"), ("checkbox", "Agree"), ("label", "Mail"), ("textbox", "Mail"), ("textbox", "By id"),
            ("searchbox", "Search"), ("button", "submit"), ("tab", "Tab"), ("textbox", "text"), ("combobox", "Pick"), ("button", "Close"),
            ("button", "Icon"), ("textbox", "Area"), ("button", "More"), ("slider", "Slide"),
        ]  # fmt: skip

    agent.run(html, work)


def test_fields_say_all_they_know(agent: AgentBrowser) -> None:
    html = """<form id=f><label for=a>Age</label><input id=a name=age type=number min=1 max=99 step=2 required>
    <input name=code pattern="[A-Z]+" minlength=2 maxlength=5 value=ab autocomplete=off placeholder=Code readonly>
    <select name=s multiple><option selected>one</option><option selected>two</option><option disabled>no</option></select>
    <input name=d list=dl><datalist id=dl><option value=x><option value=y></datalist><input type=file accept=.json multiple name=up>
    <input type=checkbox name=c checked><button>Send</button></form><input name=out>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        fields = {e["field"]["name"]: e["field"] for e in wire["elements"] if "field" in e}
        assert fields["age"] == {
            "type": "number", "name": "age", "id": "a", "label": "Age", "value": "", "min": "1", "max": "99", "step": "2",
            "required": True, "valid": False, "form": "f",
        }  # fmt: skip
        assert fields["code"] == {
            "type": "text", "name": "code", "id": "", "label": "", "value": "ab", "pattern": "[A-Z]+", "autocomplete": "off",
            "placeholder": "Code", "minlength": 2, "maxlength": 5, "readonly": True, "form": "f",
        }  # fmt: skip
        assert fields["s"]["options"] == ["one", "two"]
        assert (fields["s"]["value"], fields["s"]["multiple"]) == ("one\ntwo", True)
        assert fields["d"]["options"] == ["x", "y"]
        assert (fields["up"]["accept"], fields["up"]["multiple"]) == (".json", True)
        assert fields["c"]["checked"] is True
        assert "form" not in fields["out"]
        assert named(wire, "Send")["form"] == "f"

    agent.run(html, work)


def test_empty_handler_of_a_react_root_is_none(agent: AgentBrowser) -> None:
    html = """<div id=root>root</div><div id=dead>dead</div><div id=real>real</div><script>
    root.__reactContainer$x1 = real.__reactContainer$x1 = {}; root.onclick = function noop() {};
    dead.onclick = () => {}; real.onclick = () => { window.hit = 1 };</script>"""

    async def work(page: AgentPage) -> None:
        assert [e["name"] for e in (await page.observe())["elements"]] == ["dead", "real"]

    agent.run(html, work)


def test_what_shows_that_it_can_be_grabbed(agent: AgentBrowser) -> None:
    html = """<style>.handle{cursor:grab} .edge{cursor:col-resize;width:9px;height:40px} .card{cursor:move} .late:hover{cursor:move}</style>
    <div class=card>card <b>inner</b></div><i class=handle>::</i><div class=edge></div><p style="cursor:move">inline</p><p>plain</p><p class=late>late</p>"""

    async def work(page: AgentPage) -> None:
        found = [e["name"] for e in (await page.observe())["elements"] if e.get("grabbable")]
        assert found == ["card inner", "::", "", "inline", "late"]

    agent.run(html, work)


def test_behind_a_modal_dialog_everything_is_covered_in_view_or_not(agent: AgentBrowser) -> None:
    html = """<button id=near>near</button><button id=far style="position:absolute;top:3000px">far</button>
    <dialog id=d><button id=inside>inside</button></dialog><dialog open style="top:200px"><button id=plain>plain</button></dialog>"""

    async def work(page: AgentPage) -> None:
        def covered(wire: Wire) -> set[str]:
            return {e["name"] for e in wire["elements"] if e.get("covered")}

        assert covered(await page.observe()) == set()
        await page.call("d.showModal()")
        assert covered(await page.observe()) == {"near", "far", "plain"}
        await page.call("d.close()")
        assert covered(await page.observe()) == set()

    agent.run(html, work)


def test_behind_a_layer_that_fills_the_view_everything_is_covered(agent: AgentBrowser) -> None:
    html = """<style>#back,#box{position:fixed;display:none} #back{inset:0} #box{left:20%;top:20%;width:60%;height:60%}</style>
    <button>near</button><button style="position:absolute;top:3000px">far</button>
    <div id=back></div><div id=box><button>inside</button></div>"""

    async def work(page: AgentPage) -> None:
        def covered(wire: Wire) -> set[str]:
            return {e["name"] for e in wire["elements"] if e.get("covered")}

        assert covered(await page.observe()) == set()
        await page.call("back.style.display = 'block'")
        assert covered(await page.observe()) == {"near", "far"}
        await page.call("box.style.display = 'block'")
        assert covered(await page.observe()) == {"near", "far"}

    agent.run(html, work)


def test_page_in_front_of_a_fixed_background_can_be_reached(agent: AgentBrowser) -> None:
    html = """<div style="position:fixed;inset:0;z-index:-1"></div>
    <div style="height:4000px;width:50%;margin:auto"><button style="position:absolute;top:3000px">far</button></div>"""

    async def work(page: AgentPage) -> None:
        assert not [e["name"] for e in (await page.observe())["elements"] if e.get("covered")]

    agent.run(html, work)


def test_disabled_hidden_covered_and_out_of_view(agent: AgentBrowser) -> None:
    html = """<style>.cover{position:absolute;left:0;top:200px;width:300px;height:60px;background:#eee} button{width:90px;height:30px}</style>
    <button id=ok>ok</button><button id=dis disabled>a</button><fieldset disabled><button id=set>b</button></fieldset>
    <div aria-disabled=true><button id=aria>c</button></div><div inert><button id=inert>d</button></div>
    <button id=none style="display:none">e</button><button id=vis style="visibility:hidden">f</button><div hidden><button id=hid>g</button></div>
    <button id=opaque style="opacity:0">h</button><button id=zero style="width:0;height:0;padding:0;border:0;overflow:hidden"></button>
    <button id=under style="position:absolute;left:10px;top:210px">i</button><div class=cover></div>
    <button id=half style="position:absolute;left:250px;top:210px">j</button>
    <button id=below style="position:absolute;left:10px;top:3000px">k</button>
    <div style="position:absolute;left:400px;top:10px;width:200px;height:50px;overflow:auto"><div style="height:500px"></div><button id=scrolled>l</button></div>
    <button id=ghost style="pointer-events:none">m</button>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        found = by_id(wire)
        flags = ("disabled", "covered", "offscreen", "scrollable")
        said = {name: [flag for flag in flags if flag in element] for name, element in found.items()}
        assert said == {
            "ok": [], "dis": ["disabled"], "set": ["disabled"], "aria": ["disabled"], "inert": ["disabled", "covered"], "opaque": [],
            "under": ["covered"], "half": [], "below": ["offscreen"], "scrolled": ["offscreen"], "ghost": ["covered"],
        }  # fmt: skip
        assert wire["hidden"] == 4
        assert [e["tag"] for e in wire["elements"] if "scrollable" in e] == ["div"]
        for name in ("ok", "half", "below", "scrolled"):
            x, y, width, height, hit = await page.call(f"__explorer$.point('#{name}')")
            assert hit == 1, name
            at = f"document.elementFromPoint({x + width / 2}, {y + height / 2}).id"
            assert await page.call(at) == name
        assert (await page.call("__explorer$.point('#under')"))[4] == 0
        assert await page.call("__explorer$.point('#nothing')") is None

    agent.run(html, work)


def test_check_boxes_that_are_drawn_by_their_label(agent: AgentBrowser) -> None:
    html = """<style>input{position:absolute;opacity:0;width:0;height:0}</style><input type=checkbox id=c><label for=c>Fancy</label>
    <label id=drop>Upload<input type=file style="display:none" name=up></label>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        box = next(e for e in wire["elements"] if e["role"] == "checkbox")
        assert box["box"][2] > 10
        assert "covered" not in box
        wire = await page.click(box["ref"])
        assert await page.call("document.getElementById('c').checked") is True
        assert 'data-x-checked="true"' in wire["html"]
        assert any(e["role"] == "file" for e in wire["elements"])

    agent.run(html, work)


def test_hands_hovers_and_keys(agent: AgentBrowser) -> None:
    html = """<style>@media screen { .hand { cursor: pointer } } .menu:hover > .sub, nav:hover { display: block } .sub { display: none }
    .box { overflow-y: scroll; height: 40px }</style>
    <div class=hand>hand <b>inner</b></div><div style="cursor:pointer">inline</div><div class=menu>menu<div class=sub>sub</div></div>
    <div tabindex=0>focusable</div><div tabindex=-1>by script</div><div draggable=true>drag</div><p>plain</p><div class=box><p style="height:900px">x</p></div>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        said = [
            (e["name"], [f for f in ("pointer", "hover_reveals", "draggable", "scrollable") if f in e])
            for e in wire["elements"]
        ]
        assert said == [
            ("hand inner", ["pointer"]), ("inline", ["pointer"]), ("menu sub", ["hover_reveals"]), ("focusable", []),
            ("drag", ["draggable"]), ("x", ["scrollable"]),
        ]  # fmt: skip

    agent.run(html, work)


def test_families(agent: AgentBrowser) -> None:
    def page_of(items: list[str], salt: str) -> str:
        rows = "".join(
            f"<li class='todo css-{salt}a1 {'done' if i == 0 else ''}' id=item-{salt}{i}><input type=checkbox><label>{text}</label>"
            f"<button class='del'>Delete {text}</button><button class=edit>Edit</button></li>"
            for i, text in enumerate(items)
        )
        cards = "".join(
            f"<div class=card_{salt}9x1y2><a href=#{i}>Card {text}</a></div>" for i, text in enumerate(items)
        )
        return f"""<div class=bar><button>New</button><button>Open</button></div><nav><ul><li><a href=#a>Home</a></li><li><a href=#b>About 12</a></li></ul></nav>
        <ul id=todos>{rows}</ul><section>{cards}</section><div contenteditable aria-label=Notes>{salt}</div>
        <script>document.querySelectorAll('label').forEach((l) => {{ l.ondblclick = () => {{}}; }});</script>"""

    async def work(page: AgentPage) -> None:
        first = await page.observe()
        families: dict[str, set[str]] = {}
        for element in first["elements"]:
            families.setdefault(element["family"], set()).add(element["name"])
        groups = sorted(sorted(names) for names in families.values())
        assert ["New"] in groups
        assert ["Open"] in groups
        assert ["Home"] in groups
        assert ["About 12"] in groups
        assert ["Delete a1", "Delete b", "Delete c"] in groups
        assert ["Card a1", "Card b", "Card c"] in groups
        assert ["a1", "b", "c"] in groups
        assert [e["ordinal"] for e in first["elements"] if e["name"].startswith("Delete")] == [0, 1, 2]
        await page.page.goto("http://127.0.0.1:1/other.html")
        other = await page.observe()
        names = {e["family"] for e in first["elements"]}
        assert {e["family"] for e in other["elements"]} == names

    agent.run(
        {"": page_of(["a1", "b", "c"], "q7z"), "other.html": page_of(["x", "y y", "z", "w"], "k3p")}, work
    )


def test_families_of_one_item_and_of_many_are_the_same(agent: AgentBrowser) -> None:
    def page_of(count: int) -> str:
        return (
            "<ul>"
            + "".join(f"<li>Text {i * 'x'} <button>Delete</button></li>" for i in range(count))
            + "</ul>"
        )

    seen: list[set[str]] = []

    async def work(page: AgentPage) -> None:
        seen.append({e["family"] for e in (await page.observe())["elements"]})

    agent.run(page_of(1), work)
    agent.run(page_of(5), work)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_shadow_roots(agent: AgentBrowser, mode: str) -> None:
    html = f"""<my-card></my-card><p>light</p><script>
    customElements.define('my-card', class extends HTMLElement {{ connectedCallback() {{
      const root = this.attachShadow({{ mode: '{mode}' }});
      root.innerHTML = '<style>b {{ cursor: pointer }}</style><p>head</p><b>hand</b><button>Inside</button><div><button>Inside 2</button></div>';
      root.querySelector('button').onclick = (e) => {{ e.target.textContent = 'Pressed'; }};
    }} }});</script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert [e["name"] for e in wire["elements"]] == ["hand", "Inside", "Inside 2"]
        inside = named(wire, "Inside")
        assert " >>> " in inside["locator"]
        assert "<x-shadow>" in wire["html"]
        for element in wire["elements"]:
            text = await page.call(f"__explorer$.find({json.dumps(element['locator'])}).textContent")
            assert text == element["name"]
        wire = await page.click(inside["locator"])
        assert "Pressed" in wire["html"]
        assert wire["effects"]["mutations"] > 0

    agent.run(html, work)


def test_same_origin_iframes_share_the_page(agent: AgentBrowser) -> None:
    html = """<p style="height:50px">top</p><iframe src=inner.html style="margin-left:100px;width:400px;height:200px;border:5px solid"></iframe>
    <iframe srcdoc="<button>Doc</button>"></iframe>"""
    inner = """<button style="margin:20px" id=b>Inner</button><p id=p>wait</p><iframe src=deep.html></iframe><script>
    b.onclick = () => { p.textContent = 'clicked ' + Date.now(); setTimeout(() => { p.textContent += ' later'; }, 50); };
    Object.defineProperty(globalThis, '__cov$', { value: { 'inner.js': new Uint32Array([0, 1]) } });
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert wire["hits"] == {"inner.js": [1]}
        assert {e["name"] for e in wire["elements"]} >= {"Inner", "Deep", "Doc"}
        assert events(named(wire, "Inner")) == {"click"}
        for name in ("Inner", "Deep", "Doc"):
            locator = json.dumps(named(wire, name)["locator"])
            assert await page.call(f"__explorer$.find({locator}).textContent") == name
        assert "covered" not in named(wire, "Inner")
        wire = await page.click(named(wire, "Inner")["locator"])
        assert f"clicked {wire['clock']}"[:12] in wire["html"]
        assert "later" in wire["html"]
        assert wire["html"].count("<x-frame>") == 3
        await page.call("void document.querySelector('iframe').remove()")
        assert "Deep" not in str(await page.observe())

    agent.run({"": html, "inner.html": inner, "deep.html": "<button>Deep</button>"}, work)


def test_large_tables_leave_room_for_the_toolbar(agent: AgentBrowser) -> None:
    rows = "".join(
        f"<tr><td>row {i}</td><td><a href=#{i}>open</a></td><td><button>Delete</button></td></tr>"
        for i in range(1500)
    )
    html = f"<table>{rows}</table><div class=toolbar><button>Save</button><button>Undo</button></div>"

    async def work(page: AgentPage) -> None:
        wire = await page.observe(limit=100)
        names = [e["name"] for e in wire["elements"]]
        assert len(names) <= 100
        assert names[-2:] == ["Save", "Undo"]
        assert {"open", "Delete"} <= set(names)
        assert wire["found"] == 3002
        assert len({e["locator"] for e in wire["elements"]}) == len(names)

    agent.run(html, work)


def test_locators_do_not_count_scripts_that_stand_among_the_controls(agent: AgentBrowser) -> None:
    html = "<main><p><button>One</button></p><p><button>Two</button></p></main>"
    moves = "for (const tag of ['script', 'link', 'style', 'template']) document.querySelector('main').prepend(document.createElement(tag))"

    async def work(page: AgentPage) -> None:
        before = [element["locator"] for element in (await page.observe())["elements"]]
        await page.call(moves)
        after = (await page.observe())["elements"]
        assert [element["locator"] for element in after] == before
        for element in after:
            found = await page.call(f"__explorer$.find({json.dumps(element['locator'])}).textContent")
            assert found == element["name"]

    agent.run(html, work)


def test_locators_find_the_same_element_again(agent: AgentBrowser) -> None:
    html = """<div id=a><button>1</button><button data-testid=save>2</button></div><div id=b><button>3</button><button name='q"x'>4</button></div>
    <div><div><button>5</button></div><div><button>6</button><button id="x:r1:">7</button><button id=dup>8</button><button id=dup>9</button></div></div>
    <svg width=50 height=20><rect width=10 height=10 onclick="1" id=r></rect><g><circle r=5 cx=20 cy=8 onclick="2"></circle></g></svg>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert len(wire["elements"]) == 11
        for element in wire["elements"]:
            both = f"__explorer$.find({json.dumps(element['locator'])}) === __explorer$.find({json.dumps(element['ref'])})"
            assert await page.call(both) is True, element["locator"]
        assert named(wire, "2")["locator"] == 'button[data-testid="save"]'
        assert named(wire, "1")["locator"].startswith("#a > ")
        assert not named(wire, "7")["locator"].startswith("#")

    agent.run(html, work)


def test_focus_and_page_size(agent: AgentBrowser) -> None:
    html = "<input autofocus name=n><div style='height:2000px;width:1500px'>tall</div>"

    async def work(page: AgentPage) -> None:
        await page.call("document.querySelector('input').focus()")
        await page.call("scrollTo(0, 300)")
        wire = await page.observe()
        focused = next(e for e in wire["elements"] if e["ref"] == wire["focus"])
        assert focused["field"]["name"] == "n"
        assert wire["viewport"] == [1280, 720]
        assert wire["scroll"] == [0, 300]
        assert wire["document"][1] > 2000

    agent.run(html, work)
