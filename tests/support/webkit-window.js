/**
 * A window that shows only a WebKitGTK page, run by `gjs`. WebKitWebDriver controls the page. The only argument is
 * the folder of the profile.
 *
 * MiniBrowser, the browser of the WebKitGTK packages, cannot replace this program. It stores nothing while WebDriver
 * controls it, and WebKit prints no console messages of such a page. Its window is also wider than a phone.
 */
imports.gi.versions.Gtk = '3.0';
imports.gi.versions.WebKit2 = '4.1';
const { Gtk, WebKit2 } = imports.gi;

const [profileDir] = ARGV;
Gtk.init(null);
// Pages then see that the visitor wants reduced motion.
Gtk.Settings.get_default().gtk_enable_animations = false;

const context = new WebKit2.WebContext({
  website_data_manager: new WebKit2.WebsiteDataManager({
    base_data_directory: profileDir,
    base_cache_directory: profileDir,
  }),
});
context.set_preferred_languages(['en-US']);
context.set_automation_allowed(true);
context.connect('automation-started', (_context, session) => {
  const application = new WebKit2.ApplicationInfo();
  application.set_name('WebKitGTK');
  application.set_version(WebKit2.get_major_version(), WebKit2.get_minor_version(), WebKit2.get_micro_version());
  session.set_application_info(application);
  session.connect('create-web-view', () => {
    const view = new WebKit2.WebView({
      web_context: context,
      is_controlled_by_automation: true,
      settings: new WebKit2.Settings({ enable_write_console_messages_to_stdout: true }),
    });
    const window = new Gtk.Window();
    view.connect('close', () => window.destroy());
    window.connect('destroy', () => Gtk.main_quit());
    window.add(view);
    window.show_all();
    return view;
  });
});
Gtk.main();
