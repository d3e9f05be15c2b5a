import { Link } from 'react-router-dom';
import type { UserView } from '@alpenglow/domain/contracts';
import { Badge, Card, layout } from '@alpenglow/ui';
import { useText } from './text.ts';
import { DetailsForm } from './details-form.tsx';
import { IdentitySection } from './identity/identity-section.tsx';
import { OwnDataSection } from './own-data/own-data-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { SessionsSection } from './sessions/sessions-section.tsx';
import { TwoStepSection } from './two-step/two-step-section.tsx';
import styles from './account.module.css';

/** The settings that every account has, such as e-mail address, password, two-step sign-in and stored data. */
export function AccountSection({ user }: { readonly user: UserView }) {
  const t = useText();
  return (
    <section className={layout['stack4']} aria-labelledby="account">
      <h2 id="account">{t('accountTitle')}</h2>
      <Card className={styles['card']}>
        <dl className={styles['facts']}>
          <div>
            <dt>{t('accountEmail')}</dt>
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
        <Card>{user.isEmailVerified ? <PasswordForm user={user} /> : <PasswordNeedsEmail />}</Card>
        <Card>
          <TwoStepSection user={user} />
        </Card>
        <Card>
          <SessionsSection viewer={user.id} />
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

/**
 * Replaces the password form until the e-mail address is verified. Before that, the server rejects a change of the
 * password.
 */
function PasswordNeedsEmail() {
  const t = useText();
  return (
    <div className={styles['form']}>
      <h3>{t('password')}</h3>
      <p>{t('passwordNeedsEmail')}</p>
    </div>
  );
}
