/** The page of `npm run dev -w <remote>`: the remote alone, without federation, on the fake host. */
import { createRoot } from 'react-dom/client';
import { FakeHost } from '@alpenglow/ui/dev/fake-host';
import '@alpenglow/ui/global.css';
import App from 'remote-under-development';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(<FakeHost App={App} basePath="/" />);
