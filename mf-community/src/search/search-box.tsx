import { useState } from 'react';
import { useHref, useNavigate, useSearchParams } from 'react-router-dom';
import { Button, SearchIcon, TextInput, useIsNarrow } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './search.module.css';

const Q_MAX = 100;

/** A search field for threads, articles and ads. Submitting it opens the results at `/community?q=…`. */
export function SearchBox() {
  const t = useText();
  const isNarrow = useIsNarrow();
  const navigate = useNavigate();
  const results = useHref('/community');
  const [search] = useSearchParams();
  const queryText = search.get('q') ?? '';
  const [text, setText] = useState(queryText);
  const [lastQueryText, setLastQueryText] = useState(queryText);
  // The URL contains a new search text, for example after the Back button. The field must show this text.
  if (lastQueryText !== queryText) {
    setLastQueryText(queryText);
    setText(queryText);
  }
  return (
    <search>
      <form
        className={styles['box']}
        role="presentation"
        action={results}
        onSubmit={(event) => {
          event.preventDefault();
          const q = text.trim();
          void navigate(q === '' ? '/community' : `/community?q=${encodeURIComponent(q)}`);
        }}
      >
        <SearchIcon />
        <TextInput
          type="search"
          name="q"
          dir="auto"
          aria-label={t('community.search')}
          placeholder={t(isNarrow ? 'community.searchShortHint' : 'community.searchHint')}
          maxLength={Q_MAX}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit">{t('community.searchDo')}</Button>
      </form>
    </search>
  );
}
