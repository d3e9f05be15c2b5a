/** The e-mail address to which visitors send messages. */
export const CONTACT_EMAIL = 'contact@alpenglow.example';
