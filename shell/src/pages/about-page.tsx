import { RichText, useText } from './text.ts';
import { HelpLines } from './reading/help-lines.tsx';
import { MAIL_VALUES, MailLink } from './reading/mail-link.tsx';
import { TextPage } from './reading/text-page.tsx';

export default function AboutPage() {
  const t = useText();
  return (
    <TextPage
      title={t('about.title')}
      intro={t('about.intro')}
      sections={[
        { id: 'us', title: t('about.us.title'), body: <p>{t('about.us')}</p> },
        {
          id: 'how',
          title: t('about.how.title'),
          body: (
            <ul>
              <li>{t('about.how.1')}</li>
              <li>{t('about.how.2')}</li>
              <li>{t('about.how.3')}</li>
              <li>{t('about.how.4')}</li>
            </ul>
          ),
        },
        {
          id: 'stand',
          title: t('about.stand.title'),
          body: (
            <ul>
              <li>{t('about.stand.1')}</li>
              <li>{t('about.stand.2')}</li>
              <li>{t('about.stand.3')}</li>
              <li>{t('about.stand.4')}</li>
            </ul>
          ),
        },
        {
          id: 'help',
          title: t('about.help.title'),
          body: (
            <>
              <p>{t('about.help.intro')}</p>
              <HelpLines />
              <p>
                <RichText id="about.help.report" values={MAIL_VALUES} components={{ mail: <MailLink /> }} />
              </p>
            </>
          ),
        },
        {
          id: 'write',
          title: t('about.write.title'),
          body: (
            <p>
              <RichText id="about.write" values={MAIL_VALUES} components={{ mail: <MailLink /> }} />
            </p>
          ),
        },
      ]}
    />
  );
}
