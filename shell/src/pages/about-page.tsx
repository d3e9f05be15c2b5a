import { useText } from './text.ts';
import { HelpLines } from './reading/help-lines.tsx';
import { TextPage } from './reading/text-page.tsx';
import { MailText, TextList } from './reading/text-parts.tsx';

export default function AboutPage() {
  const t = useText();
  return (
    <TextPage
      title={t('about.title')}
      intro={t('about.intro')}
      sections={[
        { id: 'about.us', body: <p>{t('about.us')}</p> },
        { id: 'about.how', body: <TextList ids={['about.how.1', 'about.how.2', 'about.how.3', 'about.how.4']} /> },
        {
          id: 'about.stand',
          body: <TextList ids={['about.stand.1', 'about.stand.2', 'about.stand.3', 'about.stand.4']} />,
        },
        {
          id: 'about.help',
          body: (
            <>
              <p>{t('about.help.intro')}</p>
              <HelpLines />
              <MailText id="about.help.report" />
            </>
          ),
        },
        { id: 'about.write', body: <MailText id="about.write" /> },
      ]}
    />
  );
}
