import './app.css';
import { mountPage } from './live/mount-page.js';
import AccountPage from './view/AccountPage.svelte';

mountPage(AccountPage, {});
