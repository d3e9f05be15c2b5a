import { Link } from 'react-router-dom';
import { RichText } from '../text.ts';
import styles from './write.module.css';

/** What everybody agrees to who writes here. */
export function HouseRules() {
  return (
    <p className={styles['rules']}>
      <RichText id="community.houseRules" components={{ terms: <Link to="/terms" /> }} />
    </p>
  );
}
