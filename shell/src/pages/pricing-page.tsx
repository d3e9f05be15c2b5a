import { classNames, layout, LinkButton, useUser } from '@alpenglow/ui';
import { isProvider } from '../session/roles.ts';
import { TextPage } from './reading/text-page.tsx';
import { MailText, TermList } from './reading/text-parts.tsx';
import { useText } from './text.ts';
import styles from './pricing-page.module.css';

export default function PricingPage() {
  const t = useText();
  return (
    <TextPage
      title={t('pricing.title')}
      intro={t('pricing.intro')}
      sections={[
        {
          id: 'pricing.who',
          body: <TermList ids={['pricing.who.visitors', 'pricing.who.clients', 'pricing.who.providers']} />,
        },
        {
          id: 'pricing.why',
          body: (
            <>
              <p>{t('pricing.why.1')}</p>
              <p>{t('pricing.why.2')}</p>
              <MailText id="pricing.questions" />
            </>
          ),
        },
      ]}
    >
      <Plan />
    </TextPage>
  );
}

function Plan() {
  const t = useText();
  const user = useUser();
  return (
    <section className={styles['plan']} aria-labelledby="plan">
      <h2 id="plan">{t('pricing.plan')}</h2>
      <p className={classNames(layout['muted'], styles['price'])}>
        <strong>{t('pricing.free')}</strong> {t('pricing.freeNote')}
      </p>
      <ul role="list" className={styles['included']}>
        <li>{t('pricing.item.1')}</li>
        <li>{t('pricing.item.2')}</li>
        <li>{t('pricing.item.3')}</li>
        <li>{t('pricing.item.4')}</li>
      </ul>
      {user && isProvider(user) && (
        <LinkButton to="/post-ad" variant="primary">
          {t('common.postAd')}
        </LinkButton>
      )}
    </section>
  );
}
