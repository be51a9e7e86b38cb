import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/base/index.ts';
import { pageRoutes } from '../../local/page/index.ts';
import { browserMissing, browserPath, launchBrowser } from '../support/browser.ts';
import { type PlayedFeed, playedFeed, runSample, runState } from './feed.ts';

async function serve(feed: PlayedFeed): Promise<{ server: Server; url: string }> {
  const routes = pageRoutes(feed);
  const server = createServer((request, response) => {
    const route = routes[request.url ?? ''];
    if (route) route(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/_sluice/` };
}

if (browserPath === undefined && !process.env.CI) console.warn(browserMissing);

describe.skipIf(browserPath === undefined && !process.env.CI)('the live page, in a browser', () => {
  let browser: Browser;
  let server: Server;
  let url: string;
  let feed: PlayedFeed;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    feed = playedFeed(
      runState(),
      Array.from({ length: 40 }, (_, second) => runSample(second)),
    );
    ({ server, url } = await serve(feed));
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    await page.waitForSelector('#subscriber-fraud');
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  it('shows what has happened before it was opened', async () => {
    expect(await page.textContent('#phase')).toBe('publishing');
    expect(await page.textContent('#figures')).toContain('21,500 of 40,000');
    expect(await page.textContent('#subscriber-payments')).toContain('1 undecodable');
    expect(await page.textContent('#subscriber-fraud')).toContain('the fraud service is down');
    expect(await page.locator('#topology svg text').allTextContents()).toContain('payment provider');
    expect(await page.locator('.chart canvas').count()).toBe(2 + 5 * 3);
  });

  it('shows the alarms with the moments at which they changed', async () => {
    expect(await page.textContent('#alarms')).toContain('0:30 ALARM');
    expect(await page.textContent('#subscriber-payments .badge')).toBe('1 alarm');
    expect(await page.textContent('#subscriber-email .badge')).toBe('no alarm');
  });

  it('leads to the dashboards, at a time that a run fits into', async () => {
    const link = page.getByRole('link', { name: 'CloudWatch dashboards' });
    expect(await link.getAttribute('href')).toBe('dashboards/?range=PT15M');
  });

  it('shows texts as texts, whatever is in them', async () => {
    expect(await page.textContent('#incidents')).toContain('<b>down</b>');
    expect(await page.locator('#incidents b').count()).toBe(0);
  });

  it('follows the run by one stream', async () => {
    feed.publish({
      state: runState({
        at: milliseconds(runState().at + 1000),
        publisher: { ...runState().publisher, published: 22_222 },
      }),
      sample: runSample(41),
    });
    await page.getByText('22,222 of 40,000').waitFor();
    expect(feed.listeners.size).toBe(1);
  });

  it('ends with the report', async () => {
    feed.publish({
      state: runState({
        phase: 'done',
        report: {
          ok: true,
          verdict: 'Nothing was lost, doubled or reordered.',
          failures: [],
          figures: [{ name: 'publish p99', value: '11.8 ms' }],
          document: { ok: true },
        },
      }),
    });
    await page.waitForSelector('#report.ok');
    expect(await page.textContent('#report')).toContain('Nothing was lost, doubled or reordered.');
    const document = await page.evaluate(() => fetch('report.json').then((response) => response.json()));
    expect(document).toEqual({ ok: true });
  });

  it('is readable at the width of a phone, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const phone = await browser.newPage({ viewport: { width: 390, height: 800 }, colorScheme });
      await phone.goto(url);
      await phone.waitForSelector('#subscriber-fraud canvas');
      const overflow = await phone.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      const background = await phone.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(15, 20, 26)');
      await phone.close();
    }
  });

  it('says so when the stream ends', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await page.waitForSelector('#connection:not([hidden])');
  });

  it('has no complaint in the console while the stream lives', () => {
    expect(
      complaints.filter((text) => !text.includes('ERR_CONNECTION') && !text.includes('ERR_INCOMPLETE')),
    ).toEqual([]);
  });
});
