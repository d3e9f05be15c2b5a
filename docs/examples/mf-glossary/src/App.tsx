import type { RemoteProps } from '@alpenglow/remote';
import { Route, Routes, useSearchParams } from 'react-router-dom';
import styles from './glossary.module.css';
import { TEXTS } from './texts.ts';

/** The remote. The shell renders it at `/glossary`, which `routes` of the `package.json` names. */
export default function App({ host }: RemoteProps) {
  return (
    <Routes>
      <Route path="glossary/*" element={<Glossary host={host} />} />
    </Routes>
  );
}

function Glossary({ host }: Pick<RemoteProps, 'host'>) {
  const texts = TEXTS[host.locale];
  const [search, setSearch] = useSearchParams();
  const beginning = (search.get('q') ?? '').toLowerCase();
  const found = Object.entries(texts.words).filter(([word]) => word.startsWith(beginning));
  return (
    <div className={styles['page']}>
      <h1>{texts.title}</h1>
      <label>
        {texts.search}{' '}
        <input
          type="search"
          value={beginning}
          onChange={({ target }) => setSearch(target.value === '' ? {} : { q: target.value }, { replace: true })}
        />
      </label>
      {found.length === 0 && <p>{texts.none}</p>}
      <dl>
        {found.map(([word, meaning]) => (
          <div key={word}>
            <dt className={styles['word']}>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
