import { Link } from 'react-router-dom';
import { RichText } from '../text.ts';
import styles from './write.module.css';

/** A note which states that the author of a post accepts the terms of use. */
export function HouseRules() {
  return (
    <p className={styles['rules']}>
      <RichText id="community.houseRules" components={{ terms: <Link to="/terms" /> }} />
    </p>
  );
}
