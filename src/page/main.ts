import './app.css';
import { mountPage } from './live/mount-page.js';
import App from './view/App.svelte';

mountPage(App, {});
