"""``sf open``: the web console in a browser."""

from __future__ import annotations

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.complete import complete_job
from starforge.cli.output import note, print_json, say
from starforge.lang import t


@command(
    "open",
    (
        "Open the web console, signed in.\n\nThe browser is signed in by a link that works once "
        "and for ten minutes. Where there is no browser the link is printed.",
        "打开网页控制台并自动登录。\n\n浏览器通过一个十分钟内有效、限用一次的链接登录。"
        "没有浏览器时会打印该链接。",
    ),
    ("sf open", ("the list of jobs", "打开任务列表")),
    ("sf open my-sft", ("the page of a job", "打开某个任务的页面")),
    ("sf open --print", ("only the link, for another machine", "只打印链接，供其他机器使用")),
)
@argument(
    "job_id",
    ("A job to open: id or name.", "要打开的任务：ID 或名字。"),
    metavar="[JOB]",
    required=False,
    shell_complete=complete_job,
)
@option("--print", "only_print", is_flag=True, text=("Open no browser.", "不打开浏览器。"))
@json_option
def open_(job_id: str | None, only_print: bool, as_json: bool) -> None:
    """JSON is ``{url, opened}``; ``url`` holds the code."""
    from urllib.parse import quote

    from starforge.client.embedded import reach
    from starforge.client.light import get_json
    from starforge.client.sign_in import open_browser, sign_in_link

    target = reach(notify=note)
    path = "/jobs"
    if job_id is not None:
        found = get_json(target, f"/jobs/{quote(job_id, safe='')}")
        path = f"/jobs/{found['id']}"
    link = sign_in_link(target, path)
    opened = not only_print and open_browser(link)
    if as_json:
        print_json({"url": link, "opened": opened})
    elif opened:
        say(t("opened {url}", "已打开 {url}", url=f"{target.url}{path}"))
    else:
        say(link)
        note(
            t(
                "open this link in a browser; it signs in once, within ten minutes",
                "请在浏览器中打开此链接；十分钟内有效，只能登录一次",
            )
        )
