import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../support/browser.ts';
import { playScene } from './scene.ts';

// Makes the pictures of docs/dashboard.md: three hours of the order pipeline on a virtual clock, drawn by the model's page.
const place = (name: string) => fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url));
const scene = await playScene();
const browser = await launchBrowser();
try {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 1220 },
    colorScheme: 'light',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  await page.goto(`${scene.local.url}/_sluice/dashboards/Orders?refresh=0`);
  await page.waitForSelector('.widget.graph canvas');
  const top = page.getByRole('heading', { name: /^Topic orders/ });
  const row = page.getByRole('heading', { name: /^Subscriber payments/ });
  const next = page.getByRole('heading', { name: /^Subscriber inventory/ });
  const topOf = async (heading: typeof top) => ((await heading.boundingBox())?.y ?? 0) - 8;
  const [overview, from, to] = [await topOf(top), await topOf(row), await topOf(next)];
  const picture = (name: string, y: number, height: number) =>
    page.screenshot({ path: place(name), fullPage: true, clip: { x: 0, y, width: 1440, height } });
  await picture('dashboard', 0, overview);
  await picture('dashboard-subscriber', from, to - from);
} finally {
  await browser.close();
  await scene.stop();
}
