import { APPEAL_WINDOW_ms } from '@alpenglow/domain/contracts';
import { Link } from 'react-router-dom';
import { ReportStatusForm } from './reading/report-status-form.tsx';
import { HelpLines } from './reading/help-lines.tsx';
import { TextPage } from './reading/text-page.tsx';
import { MailText, TextList } from './reading/text-parts.tsx';
import { RichText, useText } from './text.ts';

const DAY_ms = 24 * 60 * 60_000;

/** The page `/help`. It offers help to people in danger, and explains how reports are made and decided (T-7). */
export default function HelpPage() {
  const t = useText();
  return (
    <TextPage
      title={t('help.title')}
      intro={t('help.intro')}
      sections={[
        {
          id: 'about.help',
          fragment: 'danger',
          body: (
            <>
              <p>{t('about.help.intro')}</p>
              <HelpLines />
              <MailText id="help.danger.write" />
            </>
          ),
        },
        {
          id: 'help.safe',
          body: <TextList ids={['help.safe.1', 'help.safe.2', 'help.safe.3', 'help.safe.4', 'help.safe.5']} />,
        },
        { id: 'help.exit', body: <TextList ids={['help.exit.1', 'help.exit.2', 'help.exit.3']} /> },
        { id: 'help.report', body: <TextList ids={['help.report.1', 'help.report.2', 'help.report.3']} /> },
        {
          id: 'help.removal',
          body: (
            <ul>
              <li>
                <RichText id="help.removal.1" components={{ removal: <Link to="/removal" /> }} />
              </li>
              <li>{t('help.removal.2')}</li>
              <li>{t('help.removal.3')}</li>
            </ul>
          ),
        },
        { id: 'help.ask', body: <ReportStatusForm /> },
        { id: 'help.decide', body: <TextList ids={['help.decide.1', 'help.decide.2', 'help.decide.3']} /> },
        {
          id: 'help.appeal',
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
              <MailText id="help.write" />
            </>
          ),
        },
      ]}
    />
  );
}
