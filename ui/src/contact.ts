/** E-mail address for messages of visitors. */
export const CONTACT_EMAIL = 'contact@alpenglow.example';
