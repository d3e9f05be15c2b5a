import { withBrowser, open } from './.h-shot.mjs';
const specs = process.argv.slice(2);
await withBrowser(async (b) => { for (const s of specs) { const [out, locale, width, theme, who, path, full] = s.split('|'); const { page, context, errors } = await open(b, { locale, width: +width, theme, who, path });
 const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
 await page.screenshot({ path: `/tmp/h/${out}.png`, fullPage: full === 'full' }); console.log(out, 'overflow', over, 'title', await page.title(), errors.slice(0, 4)); await context.close(); } });
