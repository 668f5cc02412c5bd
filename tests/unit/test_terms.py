"""One Chinese word an idea, in everything that a person reads."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = {
    "README.zh.md": "README.zh.md",
    "docs/zh": "*.md",
    "src/starforge": "*.py *.yaml *.zh.md",
    "scripts/docs_intro": "*.zh.md",
    "console/src/i18n": "*.ts",
}
# The word of docs/zh/concepts.md, and what would be another word for the same idea. The
# expressions leave out what is another idea: a file server, a return in reinforcement learning.
TERMS = {
    "任务（job）": "作业",
    "运行环境（runtime）": "运行时环境",
    "服务（server）": '服务端|(?<!文件)(?<!名: ")服务器(?!",$)',
    "检查点（checkpoint）": "存档点|检查站",
    "评测包（pack）": "评测集|基准包",
    "看板（board）": "排行榜|榜单|记分板",
    "门槛（gate）": "关卡|闸门|卡口",
    "流水线（pipeline）": "管线",
    "参数搜索（sweep）": "参数扫描|扫参",
    "检查结果（finding）": "诊断结果",
    "样例（sample）": "采样样本",
    "奖励（reward）": "报酬|奖赏",
    "采样（rollout）": "推演|展开式采样",
    "尝试（attempt）": "第几次运行|又一次运行",
    "配方（recipe）": "食谱",
    "契约（contract）": "合约",
}
# Further ideas that have no row of their own.
WORDS = {
    "基座模型": "底座|基底模型",
    "对话模板": "聊天模板",
    "词元（token）": "标记符|令牌数",
    "评论家": "价值网络|价值模型",
    "登记": "注册的|已注册|注册数据|注册模型",
    "摘要": "哈希|散列",
    "状态目录": "主目录",
    "沙箱": "沙盒",
    "默认": "缺省",
    "贪心": "贪婪",
}


def texts():
    for folder, patterns in PLACES.items():
        place = ROOT / folder
        files = [place] if place.is_file() else [
            file for pattern in patterns.split() for file in sorted(place.rglob(pattern))
        ]  # fmt: skip
        for file in files:
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                if re.search("[一-鿿]", line):
                    yield f"{file.relative_to(ROOT)}:{number}", line


@pytest.fixture(scope="module")
def lines():
    found = list(texts())
    assert len({name.partition(":")[0] for name, _ in found}) > 100
    return found


@pytest.mark.parametrize(("word", "other"), sorted({**TERMS, **WORDS}.items()))
def test_an_idea_has_one_word(lines, word, other):
    wrong = [f"{name}: {found[0]}" for name, line in lines if (found := re.search(other, line))]
    assert not wrong, f"say {word}"


def test_no_space_stands_behind_a_full_width_mark(lines):
    """The mark has its room in it; two spaces set off what click adds to a line of help."""
    wrong = [name for name, line in lines if re.search("[：。，；！？、] (?=[^ |])", line)]
    assert not wrong


def terms(page):
    """The first column of the first table of a page, without its head."""
    table = (ROOT / page).read_text("utf-8").partition("\n## ")[0]
    return re.findall(r"^\| ([^|-]+) \|", table, re.MULTILINE)[1:]


def test_the_words_are_those_of_the_page_of_concepts():
    chinese, english = terms("docs/zh/concepts.md"), terms("docs/en/concepts.md")
    assert set(TERMS) <= set(chinese)
    assert [re.sub(r".*（(\w+)）", r"\1", row) for row in chinese] == english
