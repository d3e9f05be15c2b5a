import { Link } from 'react-router-dom';
import type { UserView } from '@alpenglow/domain/contracts';
import { Badge, Card } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { DetailsForm } from './details-form.tsx';
import { IdentitySection } from './identity/identity-section.tsx';
import { OwnDataSection } from './own-data/own-data-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { TwoStepSection } from './two-step/two-step-section.tsx';
import styles from './account.module.css';

/** What belongs to the account, whatever its type: address, name and age, password, what is held. */
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
              {user.isEmailVerified ? (
                <Badge tone="success">{t('emailConfirmed')}</Badge>
              ) : (
                <Badge tone="danger">{t('emailUnconfirmed')}</Badge>
              )}
            </dd>
          </div>
          <div>
            <dt>{t('accountType')}</dt>
            <dd>{t(`accountTypes.${user.userType}`)}</dd>
          </div>
        </dl>
        <Link to="/account/decisions">{t('decisionsLink')}</Link>
      </Card>
      <div className={styles['forms']}>
        <Card>
          <DetailsForm user={user} />
        </Card>
        <Card>{user.isEmailVerified ? <PasswordForm user={user} /> : <PasswordLater />}</Card>
        <Card>
          <TwoStepSection user={user} />
        </Card>
        {user.userType === 'provider' && (
          <Card>
            <IdentitySection user={user} />
          </Card>
        )}
        <Card>
          <OwnDataSection user={user} />
        </Card>
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
