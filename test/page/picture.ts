import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../support/browser.ts';
import { playScene } from './scene.ts';

// Makes docs/dashboard.png: three hours of the order pipeline on a virtual clock, drawn by the model's own page.
const path = fileURLToPath(new URL('../../docs/dashboard.png', import.meta.url));
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
  writeFileSync(path, await page.screenshot());
  console.log(path);
  if (process.argv[2] !== undefined)
    writeFileSync(process.argv[2], await page.screenshot({ fullPage: true }));
} finally {
  await browser.close();
  await scene.stop();
}
