import { layout, LOCALE_NAMES, LOCALES } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { chooseLocale, useCurrentLocale } from '../locale/locale.ts';
import { useText } from '../text.ts';
import { THEMES } from '../theme/theme-choice.ts';
import { chooseTheme, useTheme } from '../theme/theme.ts';
import styles from './choices.module.css';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** True if the label is visible. Otherwise only screen readers announce it. */
  readonly labelled: boolean;
  readonly values: readonly Value[];
  readonly current: Value;
  readonly onChoose: (value: Value) => void;
  readonly nameOf: (value: Value) => ReactNode;
  /** Returns the language of a value's name. Omitted if all names are in the language of the page. */
  readonly languageOf?: (value: Value) => string;
}

function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, labelled, values, current, onChoose, nameOf, languageOf } = props;
  return (
    <div role="group" aria-label={label} className={layout['stack1']}>
      {labelled && (
        <span className={layout['hint']} aria-hidden="true">
          {label}
        </span>
      )}
      <div className={styles['values']}>
        {values.map((value) => (
          <button
            key={value}
            type="button"
            lang={languageOf?.(value)}
            aria-pressed={value === current}
            className={styles['value']}
            onClick={() => onChoose(value)}
          >
            {nameOf(value)}
          </button>
        ))}
      </div>
    </div>
  );
}

interface Props {
  readonly labelled?: boolean;
}

/**
 * The language choice. The name of each language is written in the language itself. A change does not reload the page.
 */
export function LanguageChoice({ labelled = false }: Props) {
  const t = useText();
  return (
    <Choice
      label={t('language')}
      labelled={labelled}
      values={LOCALES}
      current={useCurrentLocale()}
      onChoose={chooseLocale}
      nameOf={(locale) => LOCALE_NAMES[locale]}
      languageOf={(locale) => locale}
    />
  );
}

export function ThemeChoice({ labelled = false }: Props) {
  const t = useText();
  return (
    <Choice
      label={t('appearance')}
      labelled={labelled}
      values={THEMES}
      current={useTheme()}
      onChoose={chooseTheme}
      nameOf={(theme) => t(`theme.${theme}`)}
    />
  );
}
