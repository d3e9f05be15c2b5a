import { APPEAL_WINDOW_ms } from '@alpenglow/domain/contracts';
import { Link } from 'react-router-dom';
import { AskAfterReport } from './reading/ask-after-report.tsx';
import { HelpLines } from './reading/help-lines.tsx';
import { MAIL_VALUES, MailLink } from './reading/mail-link.tsx';
import { TextPage } from './reading/text-page.tsx';
import { RichText, useText } from './text.ts';

const DAY_ms = 24 * 60 * 60_000;

/** `/help`: for people in danger first, then how to report something and how it is decided (design, trust and privacy). */
export default function HelpPage() {
  const t = useText();
  return (
    <TextPage
      title={t('help.title')}
      intro={t('help.intro')}
      sections={[
        {
          id: 'danger',
          title: t('about.help.title'),
          body: (
            <>
              <p>{t('about.help.intro')}</p>
              <HelpLines />
              <p>
                <RichText id="help.danger.write" values={MAIL_VALUES} components={{ mail: <MailLink /> }} />
              </p>
            </>
          ),
        },
        {
          id: 'safe',
          title: t('help.safe.title'),
          body: (
            <ul>
              <li>{t('help.safe.1')}</li>
              <li>{t('help.safe.2')}</li>
              <li>{t('help.safe.3')}</li>
              <li>{t('help.safe.4')}</li>
              <li>{t('help.safe.5')}</li>
            </ul>
          ),
        },
        {
          id: 'report',
          title: t('help.report.title'),
          body: (
            <ul>
              <li>{t('help.report.1')}</li>
              <li>{t('help.report.2')}</li>
              <li>{t('help.report.3')}</li>
            </ul>
          ),
        },
        { id: 'ask', title: t('help.ask.title'), body: <AskAfterReport /> },
        {
          id: 'decide',
          title: t('help.decide.title'),
          body: (
            <ul>
              <li>{t('help.decide.1')}</li>
              <li>{t('help.decide.2')}</li>
              <li>{t('help.decide.3')}</li>
            </ul>
          ),
        },
        {
          id: 'appeal',
          title: t('help.appeal.title'),
          body: (
            <>
              <ul>
                <li>
                  <RichText
                    id="help.appeal.1"
                    values={{ days: APPEAL_WINDOW_ms / DAY_ms }}
                    components={{ decisions: <Link to="/account/decisions" /> }}
                  />
                </li>
                <li>{t('help.appeal.2')}</li>
                <li>{t('help.appeal.3')}</li>
                <li>{t('help.appeal.4')}</li>
              </ul>
              <p>
                <RichText id="help.write" values={MAIL_VALUES} components={{ mail: <MailLink /> }} />
              </p>
            </>
          ),
        },
      ]}
    />
  );
}
