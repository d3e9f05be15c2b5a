import type { Host } from '@alpenglow/remote';
import { renderToString } from 'react-dom/server';
import { MemoryRouter } from 'react-router-dom';
import { expect, test } from 'vitest';
import App from '../src/App.tsx';

/** A host with which the tests render the remote. */
const host: Host = {
  session: { state: 'anonymous' },
  locale: 'de',
  updateUser: () => undefined,
  navigate: () => undefined,
  notify: () => undefined,
  onLive: () => () => undefined,
  sessionEnded: () => undefined,
};

const render = (address: string) =>
  renderToString(
    <MemoryRouter initialEntries={[address]}>
      <App basePath="/" host={host} />
    </MemoryRouter>,
  );

test('shows all words in the language of the visitor', () => {
  const html = render('/glossary');
  expect(html).toContain('Glossar');
  for (const word of ['bump', 'thread']) expect(html).toContain(`>${word}<`);
});

test('shows the words with the beginning in the address', () => {
  const html = render('/glossary?q=th');
  expect(html).toContain('>thread<');
  expect(html).not.toContain('>bump<');
  expect(render('/glossary?q=x')).toContain('Kein Wort beginnt so');
});
