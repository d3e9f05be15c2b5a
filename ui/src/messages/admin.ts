/** Texts of the admin panel's first screen. */
export const adminMessages = {
  title: 'Admin Panel',
  lead: 'How the system stands.',
  forAdmins: 'For admins only',
  forAdminsText: 'Your account has no admin rights.',
  health: 'API',
  healthy: 'In order',
  unhealthy: 'Not in order',
  version: 'Version {version}',
  sync: 'Read models',
  projection: 'Read model',
  position: 'Position',
  lag: 'Behind by',
  state: 'State',
  lagUnit: { one: '{count} event', other: '{count} events' },
  notYetTitle: 'Not here yet',
  notYetText: 'Users, ads, verification codes, reports and decisions will be handled here. For now, this page only shows how the system stands.',
} as const;
