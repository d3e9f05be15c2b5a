import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { Button, SearchIcon, TextInput } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './search.module.css';

const Q_MAX = 100;

/** One box for everything there is to read: threads, articles and ads. What is found stands at `/community?q=…`. */
export function SearchBox() {
  const t = useText();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const asked = search.get('q') ?? '';
  const [text, setText] = useState(asked);
  const [shown, setShown] = useState(asked);
  // The address changed by itself: Back, or another search.
  if (shown !== asked) {
    setShown(asked);
    setText(asked);
  }
  return (
    <search>
      <form
        className={styles['box']}
        role="presentation"
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
          placeholder={t('community.searchHint')}
          maxLength={Q_MAX}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit">{t('community.searchDo')}</Button>
      </form>
    </search>
  );
}
