import { useRef, useState } from 'react';
import type { AdView } from '@alpenglow/domain/contracts';
import { Button, Card, LinkIcon, PhoneIcon } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { contactLinks, NETWORK_NAMES, telephoneHref } from './contact-links.ts';
import styles from './contact.module.css';

export interface ContactProps {
  readonly ad: Pick<AdView, 'phone' | 'socialMedia'>;
  /** On a phone, the way to it stays at the bottom. */
  readonly hasBar: boolean;
}

/** Phone and links, after a click. */
export function Contact({ ad, hasBar }: ContactProps) {
  const t = useText();
  const [isShown, setShown] = useState(false);
  const section = useRef<HTMLElement>(null);
  const links = contactLinks(ad.socialMedia);
  const hasContact = ad.phone !== null || links.length > 0;

  const show = () => {
    setShown(true);
    section.current?.scrollIntoView({ block: 'center' });
    section.current?.focus({ preventScroll: true });
  };

  return (
    <>
      <Card>
        <section ref={section} className={styles['contact']} aria-labelledby="contact" tabIndex={-1}>
          <h2 id="contact">{t('contact')}</h2>
          {!hasContact && <p>{t('noContact')}</p>}
          {hasContact && <p>{t('contactText')}</p>}
          {hasContact && !isShown && (
            <Button variant="primary" className={hasBar ? styles['inBar'] : undefined} onClick={show}>
              <PhoneIcon />
              {t('showContact')}
            </Button>
          )}
          {hasContact && isShown && (
            <ul role="list" className={styles['ways']}>
              {ad.phone !== null && (
                <li>
                  <PhoneIcon />
                  <a href={telephoneHref(ad.phone)}>{ad.phone}</a>
                </li>
              )}
              {links.map(({ network, label, href }) => (
                <li key={network}>
                  <LinkIcon />
                  <span className={styles['network']}>
                    {network === 'website' ? t('networkWebsite') : NETWORK_NAMES[network]}
                  </span>
                  <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </section>
      </Card>
      {hasContact && hasBar && (
        <div className={styles['bar']} data-bottom-bar>
          {isShown && ad.phone !== null ? (
            <a className={styles['call']} href={telephoneHref(ad.phone)}>
              <PhoneIcon />
              {t('call', { phone: ad.phone })}
            </a>
          ) : (
            <Button variant="primary" wide onClick={show}>
              <PhoneIcon />
              {t('showContact')}
            </Button>
          )}
        </div>
      )}
    </>
  );
}
