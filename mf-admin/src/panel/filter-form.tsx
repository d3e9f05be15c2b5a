import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import { Button } from '@alpenglow/ui';
import styles from './filter-form.module.css';

export interface FilterFormProps {
  readonly filterLabel: string;
  readonly clearLabel: string;
  readonly isFiltered: boolean;
  /** The fields, each by the name it has in the address. */
  readonly children: ReactNode;
}

/** Fields that narrow a list once they are sent: the page's address then has them. */
export function FilterForm({ filterLabel, clearLabel, isFiltered, children }: FilterFormProps) {
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
        <Button type="submit">{filterLabel}</Button>
        {isFiltered && (
          <Button variant="quiet" onClick={() => setSearch(new URLSearchParams())}>
            {clearLabel}
          </Button>
        )}
      </div>
    </form>
  );
}
