import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import { Button } from '@alpenglow/ui';
import { useText } from '../text.ts';
import styles from './filter-form.module.css';

export interface FilterFormProps {
  readonly isFiltered: boolean;
  /** Form fields. The name of a field is also the name of its URL parameter. */
  readonly children: ReactNode;
}

/** A form that filters a list. Submitting the form writes the filters to the URL of the page. */
export function FilterForm({ isFiltered, children }: FilterFormProps) {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  return (
    <form
      key={search.toString()}
      className={styles['filter']}
      action={(form) =>
        setSearch(
          new URLSearchParams(
            [...form.entries()].flatMap(([name, value]) =>
              typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as [string, string]] : [],
            ),
          ),
        )
      }
    >
      {children}
      <div className={styles['actions']}>
        <Button type="submit">{t('filter.apply')}</Button>
        {isFiltered && (
          <Button variant="quiet" onClick={() => setSearch(new URLSearchParams())}>
            {t('filter.clear')}
          </Button>
        )}
      </div>
    </form>
  );
}
