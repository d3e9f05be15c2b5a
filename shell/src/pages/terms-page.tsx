import { MINIMUM_AGE_years } from '@alpenglow/domain/contracts';
import { MAIL_VALUES, MailLink } from './reading/mail-link.tsx';
import { TextPage } from './reading/text-page.tsx';
import { RichText, useText } from './text.ts';

/** To be moved on with every change of what the page says. */
const CHANGED = '2026-11-21';

export default function TermsPage() {
  const t = useText();
  return (
    <TextPage
      title={t('terms.title')}
      intro={t('terms.intro')}
      changed={CHANGED}
      sections={[
        { id: 'who', title: t('terms.who.title'), body: <p>{t('terms.who', { age: MINIMUM_AGE_years })}</p> },
        { id: 'we', title: t('terms.we.title'), body: <p>{t('terms.we')}</p> },
        {
          id: 'post',
          title: t('terms.post.title'),
          body: (
            <ul>
              <li>{t('terms.post.1')}</li>
              <li>{t('terms.post.2')}</li>
              <li>{t('terms.post.3')}</li>
              <li>{t('terms.post.4')}</li>
            </ul>
          ),
        },
        {
          id: 'answer',
          title: t('terms.answer.title'),
          body: (
            <ul>
              <li>{t('terms.answer.1')}</li>
              <li>{t('terms.answer.2')}</li>
              <li>{t('terms.answer.3')}</li>
              <li>{t('terms.answer.4')}</li>
            </ul>
          ),
        },
        { id: 'remove', title: t('terms.remove.title'), body: <p>{t('terms.remove')}</p> },
        { id: 'duty', title: t('terms.duty.title'), body: <p>{t('terms.duty')}</p> },
        { id: 'change', title: t('terms.change.title'), body: <p>{t('terms.change')}</p> },
        {
          id: 'law',
          title: t('terms.law.title'),
          body: (
            <p>
              <RichText id="terms.law" values={MAIL_VALUES} components={{ mail: <MailLink /> }} />
            </p>
          ),
        },
      ]}
    />
  );
}
