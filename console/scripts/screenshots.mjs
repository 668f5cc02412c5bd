// Take a picture of every page, in both themes and languages:
//   node scripts/screenshots.mjs LINK OUT JOB [JOB2 [DIGEST]]
// LINK is a one-time sign-in link, JOB the job whose page is shown, DIGEST that of uploaded rows. Run by `make screenshots`.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const [link, out, job, other, rows] = process.argv.slice(2);
const base = new URL(link).origin;
const TABS = ["", "charts", "samples", "logs", "system", "config", "artifacts", "record"];
const PAGES = [
  ["jobs", "/jobs"],
  ...TABS.map((tab) => [`job-${tab || "overview"}`, `/jobs/${job}${tab && `/${tab}`}`]),
  ...(other ? [["compare", `/compare?jobs=${job},${other}`]] : []),
  ["methods", "/methods"],
  ["method", "/methods/trl/grpo"],
  ["method-parameter", "/methods/verl/grpo?param=kl_coef"],
  ["choose", "/choose"],
  ["choose-methods", "/choose?answers=verifiable,default"],
  ...(rows ? [["choose-data", `/choose?digest=${rows}&file=tasks.jsonl`]] : []),
  ["new-pick", "/new"],
  ["new", "/new?method=trl/grpo"],
  ["new-findings", "/new?method=trl/sft", mistakes],
  ["new-clone", `/new?from=${job}`],
  ["settings", "/settings"],
];
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
mkdirSync(out, { recursive: true });
const context = await browser.newContext();
const first = await context.newPage();
await first.goto(link);
await first.getByRole("heading", { level: 1 }).waitFor();
for (const language of ["en", "zh"]) {
  for (const theme of ["light", "dark"]) {
    await first.evaluate(
      ([lang, scheme]) => {
        localStorage.setItem("starforge.language", lang);
        localStorage.setItem("mantine-color-scheme-value", scheme);
      },
      [language, theme],
    );
    for (const [size, viewport] of SIZES) {
      // A phone is looked at in one theme and language only: what differs is the layout.
      if (size === "phone" && (language !== "en" || theme !== "light")) continue;
      const page = await context.newPage();
      await page.setViewportSize(viewport);
      for (const [name, path, act] of PAGES) {
        await page.goto(base + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForTimeout(1200); // curves draw, transitions end
        if (act) await act(page);
        const fullPage = name.startsWith("new"); // a form is looked at whole
        await page.evaluate(() => window.scrollTo(0, 0));
        await page.screenshot({
          fullPage,
          path: `${out}/${name}-${language}-${theme}-${size}.png`,
        });
      }
      await page.close();
    }
  }
}
await browser.close();
