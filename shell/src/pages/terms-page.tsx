import { MINIMUM_AGE_years } from '@alpenglow/domain/contracts';
import { TextPage } from './reading/text-page.tsx';
import { MailText, TextList } from './reading/text-parts.tsx';
import { useText } from './text.ts';

/** The date of the last change of the text. Update it with every change. */
const CHANGED = '2026-11-24';

export default function TermsPage() {
  const t = useText();
  return (
    <TextPage
      title={t('terms.title')}
      intro={t('terms.intro')}
      changed={CHANGED}
      sections={[
        { id: 'terms.who', body: <p>{t('terms.who', { age: MINIMUM_AGE_years })}</p> },
        { id: 'terms.we', body: <p>{t('terms.we')}</p> },
        { id: 'terms.post', body: <TextList ids={['terms.post.1', 'terms.post.2', 'terms.post.3', 'terms.post.4']} /> },
        {
          id: 'terms.answer',
          body: <TextList ids={['terms.answer.1', 'terms.answer.2', 'terms.answer.3', 'terms.answer.4']} />,
        },
        { id: 'terms.remove', body: <p>{t('terms.remove')}</p> },
        { id: 'terms.duty', body: <p>{t('terms.duty')}</p> },
        { id: 'terms.change', body: <MailText id="terms.change" /> },
        { id: 'terms.law', body: <MailText id="terms.law" /> },
      ]}
    />
  );
}
