/** Where visitors write to. */
export const CONTACT_EMAIL = 'contact@alpenglow.example';
