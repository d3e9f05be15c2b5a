// @ts-check
/**
 * Requests pages one after the other, and sends the times in milliseconds to the parent process. The arguments are the
 * origin, the paths as JSON, the number of the first request, and the number of requests. Each URL is different, so
 * that no page comes from the cache of pages.
 */
const [origin = '', paths = '[]', first = '0', count = '0'] = process.argv.slice(2);
/** @type {readonly string[]} */
const list = JSON.parse(paths);
/** @type {number[]} */
const latencies_ms = [];
for (let number = Number(first); number < Number(first) + Number(count); number += 1) {
  const url = new URL(list[number % list.length] ?? '/', origin);
  url.searchParams.set('visit', String(number));
  const start_ms = performance.now();
  const response = await fetch(url, { headers: { accept: 'text/html', 'accept-encoding': 'br' } });
  const html = await response.text();
  if (!html.includes('data-rendered-at=')) throw new Error(`The server did not render ${url.pathname}`);
  latencies_ms.push(performance.now() - start_ms);
}
process.send?.(latencies_ms);
process.disconnect();
