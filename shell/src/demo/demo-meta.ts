/** The name of the `<meta>` element that the server writes into the first HTML of a demo, and never in production. */
export const DEMO_META = 'alpenglow-demo';
