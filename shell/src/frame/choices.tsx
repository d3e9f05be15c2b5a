import { isPlainClick, layout, LOCALE_NAMES, LOCALES } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { chooseLocale, toChosenLocalePath, useCurrentLocale } from '../locale/locale.ts';
import { useText } from '../text.ts';
import { THEMES } from '../theme/theme-choice.ts';
import { chooseTheme, useTheme } from '../theme/theme.ts';
import { chooseLiveNotices, useLiveNoticesChoice } from './live-notices-choice.ts';
import styles from './choices.module.css';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** True if the label is visible. Otherwise only screen readers announce it. */
  readonly labelled: boolean;
  readonly values: readonly Value[];
  readonly current: Value;
  readonly onChoose: (value: Value) => void;
  readonly nameOf: (value: Value) => ReactNode;
}

function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, labelled, values, current, onChoose, nameOf } = props;
  return (
    <Group label={label} labelled={labelled} needsScripts>
      {values.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === current}
          className={styles['value']}
          onClick={() => onChoose(value)}
        >
          {nameOf(value)}
        </button>
      ))}
    </Group>
  );
}

interface GroupProps extends Pick<ChoiceProps<string>, 'label' | 'labelled'> {
  readonly needsScripts?: boolean;
  readonly children: ReactNode;
}

function Group({ label, labelled, needsScripts = false, children }: GroupProps) {
  return (
    <div
      role="group"
      aria-label={label}
      className={layout['stack1']}
      data-needs-scripts={needsScripts ? '' : undefined}
    >
      {labelled && (
        <span className={layout['hint']} aria-hidden="true">
          {label}
        </span>
      )}
      <div className={styles['values']}>{children}</div>
    </div>
  );
}

interface Props {
  readonly labelled?: boolean;
}

/**
 * The language choice. The name of each language is written in the language itself. A change does not reload the page.
 * Without scripts, the links open the page in the other language.
 */
export function LanguageChoice({ labelled = false }: Props) {
  const t = useText();
  const current = useCurrentLocale();
  const { pathname, search } = useLocation();
  return (
    <Group label={t('language')} labelled={labelled}>
      {LOCALES.map((locale) => (
        <a
          key={locale}
          href={toChosenLocalePath(locale, pathname + search)}
          hrefLang={locale}
          lang={locale}
          aria-current={locale === current ? 'true' : undefined}
          className={styles['value']}
          onClick={(event) => {
            if (!isPlainClick(event)) return;
            event.preventDefault();
            chooseLocale(locale);
          }}
        >
          {LOCALE_NAMES[locale]}
        </a>
      ))}
    </Group>
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

const ON_OFF = ['on', 'off'] as const;

/** The choice whether lists and favorites show notices about live events. */
export function LiveNoticesChoice({ labelled = false }: Props) {
  const t = useText();
  return (
    <Choice
      label={t('liveNotices')}
      labelled={labelled}
      values={ON_OFF}
      current={useLiveNoticesChoice() ? 'on' : 'off'}
      onChoose={(value) => chooseLiveNotices(value === 'on')}
      nameOf={(value) => t(`liveNotices.${value}`)}
    />
  );
}
