import type { UserView } from '@alpenglow/domain/contracts';
import { Badge, Card } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { DetailsForm } from './details-form.tsx';
import { PasswordForm } from './password-form.tsx';
import styles from './account.module.css';

/** What belongs to the account, whatever its type: address, name and age, password. */
export function AccountSection({ user }: { readonly user: UserView }) {
  const t = useText();
  return (
    <section className={styles['account']} aria-labelledby="account">
      <h2 id="account">{t('account')}</h2>
      <Card className={styles['card']}>
        <dl className={styles['facts']}>
          <div>
            <dt>{t('email')}</dt>
            <dd>
              <span>{user.email}</span>
              {user.isEmailVerified ? <Badge tone="success">{t('emailConfirmed')}</Badge> : <Badge tone="danger">{t('emailUnconfirmed')}</Badge>}
            </dd>
          </div>
          <div>
            <dt>{t('accountType')}</dt>
            <dd>{t(`accountTypes.${user.userType}`)}</dd>
          </div>
        </dl>
      </Card>
      <div className={styles['forms']}>
        <Card>
          <DetailsForm user={user} />
        </Card>
        <Card>{user.isEmailVerified ? <PasswordForm user={user} /> : <PasswordLater />}</Card>
      </div>
    </section>
  );
}

/** The server changes no password of an address that may be somebody else's. */
function PasswordLater() {
  const t = useText();
  return (
    <div className={styles['form']}>
      <h3>{t('password')}</h3>
      <p>{t('passwordNeedsEmail')}</p>
    </div>
  );
}
