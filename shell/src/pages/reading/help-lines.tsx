import type { ReactNode } from 'react';
import { RichText, useText } from '../text.ts';
import styles from './help-lines.module.css';

const ASSAULT_HOTLINE = { tel: '+18006564673', shown: '1-800-656-4673' } as const;

/** Where people in danger find help, beside the operator (design, trust and privacy). */
export function HelpLines() {
  const t = useText();
  return (
    <dl className={styles['lines']}>
      <div>
        <dt>{t('about.help.emergency')}</dt>
        <dd>
          <RichText
            id="about.help.emergencyText"
            components={{ us: <Call tel="911" />, eu: <Call tel="112" />, ch: <Call tel="117" /> }}
          />
        </dd>
      </div>
      <div>
        <dt>{t('about.help.trafficking')}</dt>
        <dd>
          <RichText
            id="about.help.traffickingText"
            components={{ tel: <Call tel="+18883737888" />, sms: <a href="sms:233733" /> }}
          />
        </dd>
      </div>
      <div>
        <dt>{t('about.help.assault')}</dt>
        <dd>
          <Call tel={ASSAULT_HOTLINE.tel}>{ASSAULT_HOTLINE.shown}</Call>
        </dd>
      </div>
      <div>
        <dt>{t('about.help.crisis')}</dt>
        <dd>
          <Call tel="988" />
        </dd>
      </div>
      <div>
        <dt>{t('about.help.victims')}</dt>
        <dd>
          <Site host="www.opferhilfe-schweiz.ch" />
        </dd>
      </div>
      <div>
        <dt>{t('about.help.fiz')}</dt>
        <dd>
          <Site host="www.fiz-info.ch" />
        </dd>
      </div>
      <div>
        <dt>{t('about.help.talk')}</dt>
        <dd>
          <Call tel="143" />
        </dd>
      </div>
    </dl>
  );
}

function Call({ tel, children }: { readonly tel: string; readonly children?: ReactNode }) {
  return <a href={`tel:${tel}`}>{children ?? tel}</a>;
}

/** No referrer: the site asked for help need not know where somebody comes from. */
function Site({ host }: { readonly host: string }) {
  return (
    <a href={`https://${host}/`} rel="noopener noreferrer">
      {host.replace('www.', '')}
    </a>
  );
}
