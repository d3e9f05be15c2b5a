import type { ReactNode } from 'react';
import { RichText, useText } from '../text.ts';
import styles from './help-lines.module.css';

/** Contact data of organizations that help people in danger (T-7). */
export function HelpLines() {
  const t = useText();
  return (
    <dl className={styles['lines']}>
      <Line label={t('about.help.emergency')}>
        <RichText
          id="about.help.emergencyText"
          components={{ us: <Call tel="911" />, eu: <Call tel="112" />, ch: <Call tel="117" /> }}
        />
      </Line>
      <Line label={t('about.help.trafficking')}>
        <RichText
          id="about.help.traffickingText"
          components={{ tel: <Call tel="+18883737888" />, sms: <a href="sms:233733" /> }}
        />
      </Line>
      <Line label={t('about.help.assault')}>
        <Call tel="+18006564673">1-800-656-4673</Call>
      </Line>
      <Line label={t('about.help.crisis')}>
        <Call tel="988" />
      </Line>
      <Line label={t('about.help.victims')}>
        <Site host="www.opferhilfe-schweiz.ch" />
      </Line>
      <Line label={t('about.help.fiz')}>
        <Site host="www.fiz-info.ch" />
      </Line>
      <Line label={t('about.help.talk')}>
        <Call tel="143" />
      </Line>
    </dl>
  );
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Call({ tel, children }: { readonly tel: string; readonly children?: ReactNode }) {
  return <a href={`tel:${tel}`}>{children ?? tel}</a>;
}

/** A link that sends no referrer, so that the help organization does not learn which site the visitor comes from. */
function Site({ host }: { readonly host: string }) {
  return (
    <a href={`https://${host}/`} rel="noopener noreferrer">
      {host.replace('www.', '')}
    </a>
  );
}
