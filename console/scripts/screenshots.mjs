// Take a picture of every page, in both themes and languages:
//   node scripts/screenshots.mjs LINK OUT KIND JOB OTHER DIGEST TRAINED
// LINK is a one-time sign-in link; KIND `all`, or `docs` for the pictures of the documentation,
// which land in OUT/en/pictures and OUT/zh/pictures; JOB a job with curves and samples, OTHER one
// to compare with, DIGEST that of uploaded rows, TRAINED a job with outputs. Run by `make screenshots`.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const [link, out, kind, job, other, rows, trained] = process.argv.slice(2);
const base = new URL(link).origin;
const CURVES = ["charts", "samples", "logs"];
const OUTPUTS = ["", "system", "config", "artifacts", "record"];
const tab = (of, name) => [`job-${name || "overview"}`, `/jobs/${of}${name && `/${name}`}`];
const PAGES = [
  ["jobs", "/jobs"],
  ["jobs-selected", "/jobs?q=addition", select],
  ["jobs-none", "/jobs?q=nothing-like-this"],
  ...CURVES.map((name) => tab(job, name)),
  ...OUTPUTS.map((name) => tab(trained, name)),
  ["job-charts-zoom", `/jobs/${job}/charts?lo=60&hi=120&smooth=0.6`],
  ["job-samples-groups", `/jobs/${job}/samples?view=groups&step=60`],
  ["job-samples-pairs", `/jobs/${job}/samples?view=pairs`],
  ["job-failed", "/jobs/broken"],
  ["job-running", "/jobs/a longer run"],
  ["compare", `/compare?jobs=${job},${other}`],
  ["pipelines", "/pipelines"],
  ["pipeline", "/pipelines/arithmetic"],
  ["pipeline-missed", "/pipelines/算术 严格?stage=score"],
  ["pipeline-running", "/pipelines/overnight"],
  ["pipeline-stop", "/pipelines/overnight", ask],
  ["sweeps", "/sweeps"],
  ["sweep", "/sweeps/rates?x=learning_rate"],
  ["sweep-grid", "/sweeps/optimizers?sort=value"],
  ["sweep-running", "/sweeps/rates-long"],
  ["board", "/board"],
  ["board-chosen", "/board?sort=model", chooseTwo],
  ["board-score", "/board", openScore],
  ["board-none", "/board?q=nothing-like-this"],
  ["board-compare", "/board?sort=model&pack=echo", compareTwo],
  ["board-compare-none", "/board/compare"],
  ["methods", "/methods"],
  ["method", "/methods/trl/grpo"],
  ["method-parameter", "/methods/verl/grpo?param=kl_coef"],
  ["choose", "/choose"],
  ["choose-methods", "/choose?answers=verifiable,default"],
  ["choose-data", `/choose?digest=${rows}&file=tasks.jsonl`],
  ["new-pick", "/new"],
  ["new", "/new?method=trl/grpo"],
  ["new-findings", "/new?method=trl/sft", mistakes],
  ["new-clone", `/new?from=${job}`],
  ["settings", "/settings"],
  ["unknown", "/nothing/is/here"],
];
/** Those of docs/LANGUAGE/console.md. */
const DOCS = [
  "jobs",
  "job-charts-zoom",
  "job-samples-groups",
  "pipeline",
  "sweep",
  "board",
  "board-compare",
  "method",
  "choose-data",
  "new-findings",
];

/** Two rows, and what can be done to them. */
async function select(page) {
  for (const name of [job, other]) {
    await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").first().check();
  }
}

/** The question before something is stopped. */
async function ask(page) {
  await page.getByRole("button", { name: /^(Stop|停止)$/ }).click();
  await page.waitForTimeout(400);
}

/** The first two models of the board, where it has scores. */
async function chooseTwo(page) {
  const boxes = page.getByRole("rowheader").getByRole("checkbox");
  if ((await boxes.count()) < 2) return false;
  for (const at of [0, 1]) await boxes.nth(at).check();
  return true;
}

/** Where a score comes from. */
async function openScore(page) {
  const scores = page.getByRole("cell").getByRole("button");
  if ((await scores.count()) > 0) await scores.first().click();
}

/** Two models item by item. */
async function compareTwo(page) {
  if (!(await chooseTwo(page))) return;
  await page.getByRole("link", { name: /^(Compare|对比)$/ }).click();
  await page.getByRole("article").first().waitFor();
}

/** Values that the checks have something to say about. */
async function mistakes(page) {
  await page.locator('[id="params.learning_rate-input"]').fill("-1");
  await page.getByLabel("config.yaml").fill("optim: adamx\nneftune_alpha: 5\n");
  await page.locator('[id="field-config"] code').first().waitFor();
}

const SIZES = [
  ["wide", { width: 1280, height: 800 }],
  ["phone", { width: 390, height: 844 }],
];

/** Where a picture lands; `null` where none is taken. */
function target(name, language, theme, size) {
  if (kind === "all") {
    // A phone is looked at in one theme and language only: what differs is the layout.
    const left = size === "phone" && (language !== "en" || theme !== "light");
    return left ? null : `${out}/${name}-${language}-${theme}-${size}.png`;
  }
  const wanted = DOCS.includes(name) && theme === "light" && size === "wide";
  return wanted ? `${out}/${language}/pictures/${name}.png` : null;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const context = await browser.newContext();
const page = await context.newPage();
await page.goto(link);
await page.getByRole("heading", { level: 1 }).waitFor();
for (const language of ["en", "zh"]) {
  for (const theme of ["light", "dark"]) {
    await page.evaluate(
      ([lang, scheme]) => {
        localStorage.setItem("starforge.language", lang);
        localStorage.setItem("mantine-color-scheme-value", scheme);
      },
      [language, theme],
    );
    for (const [size, viewport] of SIZES) {
      await page.setViewportSize(viewport);
      for (const [name, path, act] of PAGES) {
        const file = target(name, language, theme, size);
        if (file === null) continue;
        mkdirSync(file.replace(/[^/]*$/, ""), { recursive: true });
        await page.goto(base + path);
        await page.locator("h1, h2").first().waitFor();
        await page
          .locator("#content .mantine-Skeleton-root")
          .first()
          .waitFor({ state: "detached" });
        await page.waitForTimeout(1200); // curves draw, transitions end
        if (act) await act(page);
        if (act) await page.waitForTimeout(400);
        const fullPage = kind === "all" && name.startsWith("new"); // a form is looked at whole
        // But for a link to one place of a page, the page is looked at from its top.
        if (!path.includes("param=")) await page.evaluate(() => window.scrollTo(0, 0));
        if (kind === "docs" && act === mistakes) await page.mouse.wheel(0, 620); // to the fields
        if (kind === "docs") await page.waitForTimeout(300);
        await page.screenshot({ fullPage, path: file });
      }
    }
  }
}
await browser.close();
