import './app.css';
import { mountPage } from './live/mount-page.js';
import MarketsPage from './view/MarketsPage.svelte';

mountPage(MarketsPage, {});
