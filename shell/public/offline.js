/**
 * The script of the offline page (shell/server/offline/offline-page.ts). It shows the part of the page in the visitor's
 * language, and the favorite ads that are stored on this device.
 */

/** Returns the language in the path, in the cookie or of the browser. The default is the first known language. */
function findLocale(known, pathname, cookie, languages) {
  const inCookie = /(?:^|;\s*)locale=(\w+)/u.exec(cookie)?.[1];
  const wanted = [pathname.split('/')[1], inCookie, ...languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  return wanted.find((locale) => known.includes(locale)) ?? known[0];
}

/** Returns the favorites of the signed-in client or of the guest, as one line of text for each ad. */
function listFavorites(storage) {
  const read = (key) => {
    try {
      return JSON.parse(storage.getItem(key) ?? 'null');
    } catch {
      return null;
    }
  };
  if (storage.getItem('age_ok') !== 'true' || storage.getItem('guidelines_accepted') !== 'true') return null;
  const isClient = Boolean(storage.getItem('vpsAuthToken'));
  const cards = read(isClient ? 'favorites-cards:client' : 'favorites-cards:guest') ?? {};
  const guestIds = read('favorites:guest');
  // A client's cards are already in the order of the favorites.
  const ids = isClient || !Array.isArray(guestIds) ? Object.keys(cards) : guestIds;
  return ids.flatMap((id) => {
    const card = cards[id];
    if (typeof card?.title !== 'string') return [];
    const { name, age, title, city, state } = card;
    return [{ name: age ? `${name}, ${age}` : String(name), text: `${title} · ${city}, ${state}` }];
  });
}

/** Leaves the site, as shell/server/inline/quick-exit.ts does. */
function leave(url) {
  document.documentElement.hidden = true;
  document.title = '\u200b';
  sessionStorage.clear();
  sessionStorage.setItem('left', '1');
  location.replace(url);
}

function showPage() {
  const parts = [...document.querySelectorAll('[data-locale]')];
  const known = parts.map((part) => part.lang);
  const locale = findLocale(known, location.pathname, document.cookie, navigator.languages);
  const part = parts.find(({ lang }) => lang === locale);
  document.documentElement.lang = locale;
  document.title = `${part.querySelector('h1').textContent} · Alpenglow`;
  part.querySelector('[data-retry]').addEventListener('click', (event) => {
    event.preventDefault();
    location.reload();
  });
  addEventListener('online', () => location.reload());
  const exit = part.querySelector('[data-exit]');
  exit.addEventListener('click', (event) => {
    event.preventDefault();
    leave(exit.href);
  });
  let presses = [];
  addEventListener('keydown', ({ key, repeat, timeStamp }) => {
    if (key !== 'Escape' || repeat) return;
    presses = [...presses, timeStamp].slice(-3);
    if (presses.length === 3 && timeStamp - presses[0] <= 1_500) leave(exit.href);
  });

  const favorites = listFavorites(localStorage);
  if (favorites === null) return;
  part.querySelector('[data-favorites]').hidden = false;
  part.querySelector(favorites.length === 0 ? '[data-none]' : '[data-note]').hidden = false;
  for (const { name, text } of favorites) {
    const item = document.createElement('li');
    const strong = document.createElement('strong');
    strong.textContent = name;
    item.append(strong, document.createElement('br'), text);
    part.querySelector('ul').append(item);
  }
}

if (globalThis.document) showPage();
