import { useEffect, useRef, type ReactNode } from 'react';
import type { SuggestionsProps } from './typeahead.tsx';
import styles from './typeahead.module.css';

export interface SuggestionListProps<Option> extends Omit<SuggestionsProps<Option>, 'text'> {
  readonly label: string;
  /** The number of options in words for screen readers, or a visible note if there are none. */
  readonly summary: string;
  readonly getKey: (option: Option) => string;
  readonly renderOption: (option: Option) => ReactNode;
}

/** The list of suggestions below a `Typeahead`. */
export function SuggestionList<Option>(props: SuggestionListProps<Option>) {
  const { id, label, summary, options, activeIndex, toOptionId, onChoose, getKey, renderOption } = props;
  const active = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Some browsers return a promise, which an effect must not return.
    void active.current?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);
  return (
    // The field retains the focus while the visitor uses the pointer.
    <div className={styles['popup']} onMouseDown={(event) => event.preventDefault()}>
      <ul id={id} role="listbox" aria-label={label} className={styles['list']}>
        {options.map((option, index) => (
          <li
            key={getKey(option)}
            ref={index === activeIndex ? active : undefined}
            id={toOptionId(index)}
            role="option"
            aria-selected={index === activeIndex}
            className={styles['option']}
            onClick={() => onChoose(option)}
          >
            {renderOption(option)}
          </li>
        ))}
      </ul>
      <p role="status" className={options.length === 0 ? styles['none'] : styles['found']}>
        {summary}
      </p>
    </div>
  );
}
