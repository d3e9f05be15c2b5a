import { useId, useState, type ComponentProps, type KeyboardEvent, type ReactNode } from 'react';
import { ChevronDownIcon } from '../../icons/icons.tsx';
import { TextInput } from '../field.tsx';
import styles from './typeahead.module.css';

/** The properties that a `Typeahead` passes to the list of its suggestions. */
export interface SuggestionsProps<Option> {
  readonly id: string;
  /** The typed text. Empty while the field shows the selected option. */
  readonly text: string;
  readonly options: readonly Option[];
  readonly activeIndex: number;
  readonly toOptionId: (index: number) => string;
  readonly onChoose: (option: Option) => void;
}

interface Suggestions<Option> {
  /** Returns the options that match a typed text. */
  readonly find: (text: string) => readonly Option[];
  readonly render: (props: SuggestionsProps<Option>) => ReactNode;
}

export interface TypeaheadProps<Option> extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'className'> {
  /** The name of the selected option. Empty if none is selected. */
  readonly selectedText: string;
  /** Null while the options are loading. */
  readonly suggestions: Suggestions<Option> | null;
  readonly onChoose: (option: Option) => void;
  /** Called if the visitor empties the field. */
  readonly onClear: () => void;
  /**
   * Called with a text that matches no option, when the visitor leaves the field or sends the form. The field then
   * continues to show this text.
   */
  readonly onUnknown?: ((text: string) => void) | undefined;
  /** Called when the list opens, so that the options can be loaded. */
  readonly onOpen?: () => void;
}

/**
 * A text field that suggests options while the visitor types. It is a combobox with a list, as in the ARIA
 * Authoring Practices. Leaving the field chooses the marked suggestion. If none is marked, it restores the text, unless
 * `onUnknown` takes it.
 */
export function Typeahead<Option>(props: TypeaheadProps<Option>) {
  const { selectedText, suggestions, onChoose, onClear, onUnknown, onOpen, ...rest } = props;
  const listId = useId();
  /** The typed text. Null while the field shows the selected option. */
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [activeIndex, setActiveIndex] = useState(-1);
  const options = (isOpen && suggestions?.find(text ?? '')) || [];
  const active = options[activeIndex];
  const toOptionId = (index: number) => `${listId}-${index}`;

  const open = (index: number) => {
    onOpen?.();
    setOpen(true);
    setActiveIndex(index);
  };
  const close = () => {
    setOpen(false);
    setText(null);
    setActiveIndex(-1);
  };
  const choose = (option: Option) => {
    close();
    onChoose(option);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) open(altKey ? -1 : 0);
      else if (key === 'ArrowUp' && altKey) close();
      else if (options.length > 0) {
        const step = key === 'ArrowDown' ? 1 : -1;
        setActiveIndex((Math.max(activeIndex, step === 1 ? -1 : 0) + step + options.length) % options.length);
      }
    } else if (key === 'Enter' && !active && text?.trim() && onUnknown) onUnknown(text.trim());
    else if (key === 'Enter' && (text !== null || (isOpen && active))) {
      // A typed text is not a choice yet, so the key must not send the form with the previous choice.
      event.preventDefault();
      if (isOpen && active) choose(active);
      else if (text?.trim() === '') {
        close();
        onClear();
      }
    } else if (key === 'Escape' && isOpen) {
      // The key closes only the list, and not the dialog that contains the field.
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };

  return (
    <div className={styles['field']}>
      <TextInput
        {...rest}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen && suggestions !== null}
        aria-controls={listId}
        aria-activedescendant={active ? toOptionId(activeIndex) : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={60}
        className={styles['input']}
        value={text ?? selectedText}
        onFocus={(event) => event.target.select()}
        onClick={() => isOpen || open(-1)}
        onChange={({ target: { value } }) => {
          setText(value);
          open(value.trim() === '' ? -1 : 0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (!active && text?.trim() && onUnknown) {
            setOpen(false);
            onUnknown(text.trim());
            return;
          }
          close();
          if (text?.trim() === '') onClear();
          else if (text !== null && active) onChoose(active);
        }}
      />
      <ChevronDownIcon />
      {isOpen &&
        suggestions?.render({ id: listId, text: text ?? '', options, activeIndex, toOptionId, onChoose: choose })}
    </div>
  );
}
